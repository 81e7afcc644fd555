import type { EpochMs } from '@/lib/xds/units';
import { maskPrivateKeys } from './codec/mask-private-keys';

interface UnhandledRejectionFacts {
  readonly count: number;
  /** The time of the newest one, or absent if there was none. */
  readonly lastAt?: EpochMs | undefined;
  /** The first line of its message, shortened and redacted. */
  readonly lastMessage: string;
}

const longestMessage = 200;

/** Counts rejected promises without a handler since the start of this process, which are defects of xdscope. */
export class UnhandledRejections {
  #facts: UnhandledRejectionFacts = { count: 0, lastMessage: '' };

  get facts(): UnhandledRejectionFacts {
    return this.#facts;
  }

  note(reason: unknown, at: EpochMs): void {
    const message = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    const redacted = maskPrivateKeys(Buffer.from(message)).bytes.toString();
    const [line = ''] = redacted.split('\n', 1);
    const lastMessage = line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
    this.#facts = { count: this.#facts.count + 1, lastAt: at, lastMessage };
  }
}
