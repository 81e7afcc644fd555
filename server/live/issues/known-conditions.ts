import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { impactLevels } from '@/lib/issues/client-impact';
import { clientIssueKinds } from '@/lib/issues/issue-record';
import type { Condition } from '@/lib/views/issues/read-conditions';
import { log } from '../../logger';
import type { KeptValue, StateEntry } from '../../store/kept-value';

const key = { typeUrl: z.string(), name: z.string() };
const condition = z.object({
  cause: z.object({
    ...{
      ...key,
      kind: z.enum(clientIssueKinds),
      side: z.enum(['client', 'control-plane']),
      text: z.string(),
    },
    ...{ rule: z.string().optional(), explainedBy: z.object(key).optional() },
  }),
  period: z.object({
    ...{ clientId: z.string(), from: z.number(), resources: z.number() },
    impact: z
      .object({
        ...{ level: z.enum(impactLevels), listener: z.string().nullable(), cluster: z.string().nullable() },
        ...{ chain: z.string().optional(), reason: z.string() },
        ...{ isOfTcp: z.boolean().optional(), isHypothetical: z.boolean().optional() },
        isPartial: z.boolean().optional(),
      })
      .optional(),
  }),
});
const content = z.object({ open: z.array(condition) });
type Content = z.infer<typeof content>;

export const conditionsEntry: StateEntry<Content> = {
  key: 'config-issues',
  schema: content,
  initial: { open: [] },
};

const mostWritten = 5_000;

/**
 * The issues that follow from the config of clients and last, in the state: their onset is the time of the check that found them
 * first, which a restart of xdscope keeps.
 */
export class KnownConditions {
  readonly #kept: KeptValue<Content>;

  constructor(kept: KeptValue<Content>) {
    this.#kept = kept;
  }

  read(): Condition[] {
    return this.#kept.value.open.map(({ cause, period }) => ({
      cause,
      period: {
        ...{ ...period, to: undefined, end: undefined, fromSeq: null, toSeq: null },
        ...{ versionInfo: '', keepsAccepted: null },
      },
    }));
  }

  /** Stores what lasts, if it has changed. A failure is logged. */
  async write(conditions: Iterable<Condition>): Promise<void> {
    const lasting = [...conditions].filter(({ period }) => period.to === undefined).slice(0, mostWritten);
    // Only what the schema has is stored, so that what was read equals what was written.
    const next = content.parse({ open: lasting });
    if (JSON.stringify(next) === JSON.stringify(this.#kept.value)) return;
    await this.#kept
      .change(() => next)
      .catch((error: unknown) => {
        log('error', 'issues', `since when config fails is not stored: ${messageOf(error)}`);
      });
  }
}
