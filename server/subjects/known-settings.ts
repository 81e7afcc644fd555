import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { ProbeProfile } from '@/lib/xds/probe-choices';
import type { ProbeSettings } from '../xds/probe/probe-settings';

/** What a client was reported by its bootstrap and its user, where it is a probe of ours. null: not known. */
export interface KnownSettings {
  /** How it makes a listener's name of a target. */
  readonly templates: ListenerNameTemplates | null;
  /** Names under certificate_providers, sorted. */
  readonly certificateProviders: readonly string[] | null;
  /** Whose rules it answers by; null of one that only observes, too. */
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
