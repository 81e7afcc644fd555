import type { Lab } from './lab';

/** The embedded lab of the process. It starts at most once: with the process, or when it is requested. */
export class LabSwitch<Running extends Pick<Lab, 'close'> = Lab> {
  readonly #startLab: () => Promise<Running>;
  #lab: Running | undefined;
  #starting: Promise<Running> | undefined;
  #isClosed = false;

  constructor(startLab: () => Promise<Running>) {
    this.#startLab = startLab;
  }

  /** undefined: it does not run, or is starting. */
  get lab(): Running | undefined {
    return this.#lab;
  }

  /** Resolves when the lab runs. After a failure it can be started again. */
  start(): Promise<Running> {
    if (this.#isClosed) return Promise.reject(new Error('the process is closing'));
    this.#starting ??= this.#startLab().then(
      (lab) => {
        this.#lab = lab;
        return lab;
      },
      (cause: unknown) => {
        this.#starting = undefined;
        throw cause;
      },
    );
    return this.#starting;
  }

  /** Also ends a lab that is starting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const [started] = await Promise.allSettled([this.#starting]);
    if (started?.status === 'fulfilled') await started.value?.close();
  }
}
