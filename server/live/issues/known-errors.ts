import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { mostCalmMs } from '@/lib/issues/error-periods';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { EpochMs } from '@/lib/xds/units';
import { log } from '../../logger';
import type { KeptValue, StateEntry } from '../../store/kept-value';

const count = z.number();
const foundErrors = z.object({
  clusterName: z.string(),
  from: count,
  measured: z.object({ errors: count, completed: count, ofAll: count }),
  clients: z.array(z.string()),
  moreClients: count,
  places: z.object({ addresses: z.array(z.string()), localities: z.array(z.string()) }).optional(),
  counted: z
    .object({
      by: z.enum(['channelz', 'envoy-admin']),
      isOfConnections: z.literal(true).optional(),
      causes: z.object({
        ...{ overflow: count, noHost: count, connectFailure: count, timeout: count },
        unanswered: count.default(0),
      }),
      restartedAt: count.optional(),
    })
    .optional(),
});
const content = z.object({ open: z.array(z.object({ found: foundErrors, at: count })) });
type Content = z.infer<typeof content>;

const entryOf = (key: string): StateEntry<Content> => ({ key, schema: content, initial: { open: [] } });
export const loadErrorsEntry = entryOf('load-errors');
export const requestErrorsEntry = entryOf('request-errors');

interface Known {
  readonly found: FoundErrors;
  /** The time at which the errors were last found. */
  readonly at: EpochMs;
}

const writeEveryMs = 30_000;

/**
 * The errors that last, in the state: what is measured covers an hour, and after a restart of xdscope a minute, while errors may
 * last for days.
 */
export class KnownErrors {
  readonly #kept: KeptValue<Content>;
  /** undefined until it is read. */
  #open: ReadonlyMap<string, Known> | undefined;
  /** What the process before this one found, until it is measured again. */
  #earlier: ReadonlyMap<string, Known> = new Map();
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(kept: KeptValue<Content>) {
    this.#kept = kept;
  }

  #read(): ReadonlyMap<string, Known> {
    this.#earlier = new Map(
      this.#kept.value.open.map(({ found, at }) => [
        keyOf(found),
        { found: { ...found, to: undefined }, at },
      ]),
    );
    return this.#earlier;
  }

  /**
   * Returns what is found now with the onsets of what lasts; and, after a restart, what lasted before it and is not measured yet, as
   * long as a calm time does not end it.
   */
  date(found: readonly FoundErrors[], at: EpochMs): FoundErrors[] {
    this.#open ??= this.#read();
    const known = this.#open;
    const dated = found.map((each) => {
      const before = known.get(keyOf(each));
      const lasts = before !== undefined && each.from - before.at <= mostCalmMs;
      return lasts ? { ...each, from: Math.min(each.from, before.found.from) } : each;
    });
    const measured = new Set(dated.map(keyOf));
    this.#earlier = new Map(
      [...this.#earlier].filter(([key, known]) => !measured.has(key) && at - known.at <= mostCalmMs),
    );
    const lasting = dated.filter(({ to }) => to === undefined).map((each) => ({ found: each, at }));
    this.#keep([...lasting, ...this.#earlier.values()], at);
    return [...dated, ...[...this.#earlier.values()].map((known) => known.found)];
  }

  #keep(open: readonly Known[], at: EpochMs): void {
    const before = this.#open ?? new Map<string, Known>();
    this.#open = new Map(open.map((each) => [keyOf(each.found), each]));
    const isSame =
      before.size === open.length &&
      open.every(({ found }) => before.get(keyOf(found))?.found.from === found.from);
    if (isSame && (open.length === 0 || at - this.#writtenAt < writeEveryMs)) return;
    this.#writtenAt = at;
    this.#kept
      .change(() => content.parse({ open }))
      .catch((error: unknown) => {
        log('error', 'issues', `since when requests fail is not stored: ${messageOf(error)}`);
      });
  }
}

function keyOf({ clusterName, counted }: Pick<FoundErrors, 'clusterName' | 'counted'>): string {
  return `${counted?.by ?? ''}${counted?.isOfConnections ? ' connections' : ''} ${clusterName}`;
}
