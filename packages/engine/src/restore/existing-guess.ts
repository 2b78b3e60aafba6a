const enough = 8;

/**
 * Guesses whether items of a type are in a namespace already, by those before them. Where they are, reading first saves the create that
 * would be refused; where they are not, the create alone is enough.
 */
export class ExistingGuess {
  readonly #inARow = new Map<string, number>();

  expects(groupResource: string, namespace: string): boolean {
    return (this.#inARow.get(`${groupResource}/${namespace}`) ?? 0) >= enough;
  }

  saw(groupResource: string, namespace: string, existed: boolean): void {
    const key = `${groupResource}/${namespace}`;
    this.#inARow.set(key, existed ? (this.#inARow.get(key) ?? 0) + 1 : 0);
  }
}
