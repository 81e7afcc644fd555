import { roundDurationsMs } from '@/lib/format/duration';
import { chooseLoadStep } from '@/lib/load/choose-step';
import type { LoadExcerpt } from '@/lib/load/load-excerpt';
import { floorTo, type LoadSpan } from '@/lib/load/plan-load-reading';
import type { LoadAnswer, LoadReadQuestion } from '../../recorder/load/load-jobs';
import type { LoadRecorder } from '../../recorder/load/load-recorder';
import { readLoadExcerpt } from '../../recorder/load/read-load-excerpt';
import type { StoredHead } from './stored-permalink';

/** The load of a client as a permalink stores it: sums over steps, in JSON. */
export type StoredLoad = NonNullable<StoredHead['load']>;

/** A client with more values is stored in longer steps. */
const mostBytes = 4 * 1024 * 1024;

/** Stores every series of the client in the time range, in the steps of the chart. */
export async function toStoredLoad(
  loads: Pick<LoadRecorder, 'excerpt'>,
  clientId: string,
  span: LoadSpan,
): Promise<StoredLoad> {
  const spanMs = span.to - span.from;
  let stepMs = chooseLoadStep(spanMs);
  for (;;) {
    const requested = { from: floorTo(span.from, stepMs), to: span.to };
    const { series, values, ...read } = await loads.excerpt({ span: requested, clientId, stepMs });
    if (values.length <= mostBytes || stepMs >= spanMs) {
      return { span: read.span, series: [...series], stepMs, values: Buffer.from(values).toString('base64') };
    }
    const last = stepMs;
    stepMs = roundDurationsMs.find((longer) => longer >= 4 * last) ?? spanMs;
  }
}

/** Answers questions as the load recorder does. */
export function readStoredLoad({
  values,
  stepMs,
  ...kept
}: StoredLoad): (question: LoadReadQuestion) => LoadAnswer {
  const excerpt: LoadExcerpt = { ...kept, values: Buffer.from(values, 'base64') };
  return (question) => readLoadExcerpt(excerpt, stepMs, question);
}
