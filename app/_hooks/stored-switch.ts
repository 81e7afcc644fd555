/** A choice of the reader between two states, which the browser stores and all components share. */
export class StoredSwitch {
  readonly #key: string;
  /** The stored text of the state that is not the default. */
  readonly #text: string;
  readonly #listeners = new Set<() => void>();
  /** undefined until the first use: then the state that the browser has stored. */
  #isOn: boolean | undefined;

  constructor(key: string, text: string) {
    this.#key = key;
    this.#text = text;
  }

  readonly isOn = (): boolean => {
    if (this.#isOn === undefined) {
      try {
        this.#isOn = localStorage.getItem(this.#key) === this.#text;
      } catch {
        this.#isOn = false; // Storage may be forbidden.
      }
    }
    return this.#isOn;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly set = (isOn: boolean): void => {
    this.#isOn = isOn;
    try {
      if (isOn) localStorage.setItem(this.#key, this.#text);
      else localStorage.removeItem(this.#key);
    } catch {
      // The choice then lasts as long as the page.
    }
    for (const listener of this.#listeners) listener();
  };
}
