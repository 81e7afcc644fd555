/** Numbers texts from 1 on; 0 means "none". */
export class Interner {
  readonly texts: string[] = [''];
  readonly #numbers = new Map<string, number>();

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
