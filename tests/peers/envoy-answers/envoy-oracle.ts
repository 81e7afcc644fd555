import { envoy } from '../envoy/peer';
import type { Prepared } from '../peer';
import type { Answered } from '../verdicts/answer';
import { namesOf, startTested, type Tested } from '../verdicts/tested-client';

/** One Envoy that is sent resources of a type by ADS, each alone. Another one follows when it has ended. */
export class EnvoyOracle {
  readonly name: string;

  readonly #prepared: Prepared;
  readonly #typeUrl: string;
  readonly #workDir: string;
  #tested: Tested | undefined;

  constructor(prepared: Prepared, typeUrl: string, workDir: string) {
    this.#prepared = prepared;
    this.#typeUrl = typeUrl;
    this.#workDir = workDir;

    this.name = namesOf('envoy').tested[typeUrl] ?? '';
  }

  /** `silent`: the Envoy awaits something else, such as the secrets of a cluster, and has not rejected the resource. */
  async ask(bytes: Uint8Array): Promise<Answered> {
    this.#tested ??= await startTested(envoy, this.#prepared, {
      ...{ typeUrl: this.#typeUrl, isServer: false, workDir: this.#workDir },
    });
    const answered = await this.#tested.ask(bytes);
    if (answered.answer === 'silent' || answered.answer === 'ended') await this.stop();
    return answered;
  }

  async stop(): Promise<void> {
    await this.#tested?.stop();
    this.#tested = undefined;
  }
}
