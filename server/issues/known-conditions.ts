import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { impactLevels } from '@/lib/issues/client-impact';
import { clientIssueKinds } from '@/lib/issues/issue-record';
import type { Condition } from '@/lib/views/issues/read-conditions';
import { readDataFile, writeDataFile } from '../data-dir';
import { log } from '../logger';

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
      })
      .optional(),
  }),
});
const content = z.object({ open: z.array(condition) });

const mostWritten = 5_000;

/**
 * The issues that follow from the config of clients and last, in a file of the data directory: their onset is the time of the check
 * that found them first, which a restart of xdscope keeps. A file that cannot be read is reported and replaced.
 */
export class KnownConditions {
  readonly #file: string;
  #written = '';

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'config-issues.json');
  }

  read(): Condition[] {
    try {
      const text = readDataFile(this.#file);
      if (text === undefined) return [];
      this.#written = text.toString();
      return content.parse(JSON.parse(this.#written)).open.map(({ cause, period }) => ({
        cause,
        period: {
          ...{ ...period, to: undefined, end: undefined, fromSeq: null, toSeq: null },
          ...{ versionInfo: '', keepsAccepted: null },
        },
      }));
    } catch (error) {
      log('error', 'issues', `${this.#file}: since when config fails is not known: ${messageOf(error)}`);
      return [];
    }
  }

  /** Writes what lasts, if it has changed. */
  write(conditions: Iterable<Condition>): void {
    const open = [...conditions].filter(({ period }) => period.to === undefined).slice(0, mostWritten);
    const text = `${JSON.stringify({ open })}\n`;
    if (text === this.#written || (this.#written === '' && open.length === 0)) return;
    try {
      writeDataFile(this.#file, text);
      this.#written = text;
    } catch (error) {
      log('error', 'issues', messageOf(error));
    }
  }
}
