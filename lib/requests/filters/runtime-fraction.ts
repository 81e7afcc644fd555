import type { FieldReader } from '../../model/field-reader';
import { readPercent } from '../../model/fractional-percent';

/** An envoy.config.core.v3.RuntimeFractionalPercent. */
interface RuntimeShare {
  /** The share of requests in per cent, unless the runtime sets another one. */
  readonly percent: number;
  /** "": the runtime cannot set another one. */
  readonly runtimeKey: string;
}

/** `byDefault`: the per cent if the field is absent. */
export function readRuntimeShare(fraction: FieldReader | undefined, byDefault: number): RuntimeShare {
  if (fraction === undefined) return { percent: byDefault, runtimeKey: '' };
  return {
    percent: Math.min(100, readPercent(fraction.object('defaultValue')) ?? byDefault),
    runtimeKey: fraction.string('runtimeKey'),
  };
}

/** As in "30% of requests, which runtime key "a" can set". */
export function describeShare({ percent, runtimeKey }: RuntimeShare): string {
  const key = runtimeKey === '' ? '' : `, which runtime key ${JSON.stringify(runtimeKey)} can set`;
  return `${percent}% of requests${key}`;
}
