import type { RuleContext } from '@/lib/validate/rule';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { V2Part } from '../../codec/body-parts';
import { readEnforcedConstraints } from '../../codec/constraints';

/** The facts for the rules that decoding yields. A v2 resource has v2 parts. */
export function contextOfDecoded(typeUrl: string, v2: readonly V2Part[]): RuleContext {
  const isV2 = readTypeUrl(typeUrl).apiVersion === 'v2';
  return { constraints: readEnforcedConstraints(), ...(!isV2 && v2.length > 0 && { v2Parts: v2 }) };
}
