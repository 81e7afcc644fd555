import type { ProbeSettingsShown } from '@/lib/api/schema';
import type { ProbeTransport } from '@/lib/xds/probe-choices';

/** An ADS source of ours. */
export interface ProbeSource {
  readonly id: string;
  readonly target: string;
  readonly settings: ProbeSettingsShown;
}

/** What one of them asks, and how; a source of today, or of the past. */
export interface VariantProbe {
  readonly id: string;
  readonly target: string;
  readonly variant: 'sotw' | 'delta';
}

/** Two sources that ask the same of the same server, in the two variants of the protocol. */
export interface VariantPair {
  readonly target: string;
  readonly sotw: ProbeSource;
  readonly delta: ProbeSource;
}

/** undefined: no server answers. */
export function variantOf(transport: ProbeTransport): 'sotw' | 'delta' | undefined {
  switch (transport) {
    case 'ads':
    case 'sotw':
    case 'rest':
      return 'sotw';
    case 'delta-ads':
    case 'delta':
      return 'delta';
    case 'file':
      return undefined;
  }
}

/** Those that ask a server. */
export function toVariantProbes(probes: readonly ProbeSource[]): VariantProbe[] {
  return probes.flatMap(({ id, target, settings }) => {
    const variant = variantOf(settings.transport);
    return variant === undefined ? [] : [{ id, target, variant }];
  });
}

/** However they came to be: of several that ask alike the first of each variant. */
export function findVariantPairs(probes: readonly ProbeSource[]): VariantPair[] {
  const byQuestion = new Map<string, { sotw?: ProbeSource; delta?: ProbeSource }>();
  for (const probe of probes) {
    const variant = variantOf(probe.settings.transport);
    if (variant === undefined) continue;
    const question = questionOf(probe);
    const pair = byQuestion.get(question) ?? {};
    pair[variant] ??= probe;
    byQuestion.set(question, pair);
  }
  return [...byQuestion.values()].flatMap(({ sotw, delta }) =>
    sotw === undefined || delta === undefined ? [] : [{ target: sotw.target, sotw, delta }],
  );
}

function questionOf({ target, settings }: ProbeSource): string {
  const { apiVersion, listeners, resources } = settings;
  const named = Object.entries(resources).map(([typeUrl, names]) => [typeUrl, [...names].sort()]);
  return JSON.stringify([target, apiVersion, [...listeners].sort(), named.sort()]);
}
