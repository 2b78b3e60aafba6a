/** Something that was read, or why it could not be. */
export type Read<T> = { readonly value: T } | { readonly error: unknown };
