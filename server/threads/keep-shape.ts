/**
 * Keeps one object of a class that lives only for moments, such as one for each batch. When a full collection finds none
 * of a class, V8 forgets how its objects are laid out, throws away the machine code that it made for them, and compiles
 * all of it again: in the recorder's thread that was more work than the recording itself. Literals have shapes, too.
 */
export function keepShape(...objects: readonly object[]): void {
  kept.push(...objects);
}

const kept: object[] = [];
