import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { ProbeProfile } from '@/lib/xds/probe-choices';
import type { ProbeSettings } from '../../collect/xds/probe/probe-settings';

/** Settings of a client from its bootstrap and its user; null unless known, as for probes of xdscope. */
export interface KnownSettings {
  readonly templates: ListenerNameTemplates | null;
  readonly certificateProviders: readonly string[] | null;
  /** The profile whose rules it applies; null also for a probe that only observes. */
  readonly asClient: ProbeProfile | null;
}

export const noSettings: KnownSettings = { templates: null, certificateProviders: null, asClient: null };

export function settingsOfProbe(settings: ProbeSettings | undefined): KnownSettings {
  if (settings === undefined) return noSettings;
  const { templates, certificateProviders, mode, profile } = settings;
  return {
    templates,
    certificateProviders: certificateProviders && [...certificateProviders].sort(),
    asClient: mode === 'validate' ? profile : null,
  };
}
