import type { ProbeSettingsShown } from '@/lib/views/sources/schema';
import type { ProbeTransport } from '@/lib/xds/probe-choices';

export interface ProbeSource {
  readonly id: string;
  readonly target: string;
  readonly settings: ProbeSettingsShown;
}

export interface VariantProbe {
  readonly id: string;
  readonly target: string;
  readonly variant: 'sotw' | 'delta';
}

/** Two sources that request the same resources of the same server in the two variants of the protocol. */
export interface VariantPair {
  readonly target: string;
  readonly sotw: ProbeSource;
  readonly delta: ProbeSource;
}

/** Returns undefined if the transport uses no server. */
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

/** Returns the probes that use a server. */
export function toVariantProbes(probes: readonly ProbeSource[]): VariantProbe[] {
  return probes.flatMap(({ id, target, settings }) => {
    const variant = variantOf(settings.transport);
    return variant === undefined ? [] : [{ id, target, variant }];
  });
}

/** Returns the first probe of each variant for each equal set of requested resources, wherever it was configured. */
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
