const enough = 8;

/**
 * Guesses whether items of a type are in a namespace already, by those before them; of a place that nothing is known about, by the run's
 * last items. Where they are, looking first saves the create that would be refused; where they are not, the create alone is enough.
 */
export class ExistingGuess {
  readonly #inARow = new Map<string, number>();
  #lately = 0;

  expects(groupResource: string, namespace: string): boolean {
    return (this.#inARow.get(`${groupResource}/${namespace}`) ?? this.#lately) >= enough;
  }

  saw(groupResource: string, namespace: string, existed: boolean): void {
    const key = `${groupResource}/${namespace}`;
    const before = this.#inARow.get(key) ?? this.#lately;
    this.#inARow.set(key, existed ? before + 1 : 0);
    this.#lately = existed ? this.#lately + 1 : 0;
  }
}
