import { parseHostPattern } from './host-pattern';
import type { Target } from './target';

/** Targets as an operator lists them: "istiod.istio-system.svc:15012", "*.istio-system.svc:15012", "10.0.0.0/8:*". */
export interface TargetPattern {
  readonly text: string;
  /** By what the target is called, not by what it resolves to. */
  matches(target: Pick<Target, 'host' | 'port'>): boolean;
}

/** Undefined: it is nothing of this. IPv6 addresses and networks are in brackets. */
export function parseTargetPattern(text: string): TargetPattern | undefined {
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5}|\*)$/.exec(text) ?? [];
  const host = parseHostPattern(bracketed ?? plain ?? '');
  if (host === undefined) return undefined;
  return {
    text,
    matches: (target) => (port === '*' || Number(port) === target.port) && host.matches(target.host),
  };
}
