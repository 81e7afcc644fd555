import { nextTurn } from '../../../workers/threads/in-slices';

/** Lets operations work one after the other, in the order in which they come. A long one lets others work in between. */
export class Turns {
  #last: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;

  /** `work` may call pass(). */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  /** Lets those work that wait, and new ones come. */
  async pass(): Promise<void> {
    this.#end();
    await nextTurn();
    await this.#begin();
  }

  async #begin(): Promise<void> {
    const before = this.#last;
    let end = (): void => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    this.#end = end;
  }
}
