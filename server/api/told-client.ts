import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { ProbeProfile } from '@/lib/xds/probe-choices';
import type { ProbeSettings } from '../xds/probe-settings';

/** What a client was told by its bootstrap and its user, where it is a probe of ours. null: not known. */
export interface ToldClient {
  /** How it makes a listener's name of a target. */
  readonly templates: ListenerNameTemplates | null;
  /** Names under certificate_providers, sorted. */
  readonly certificateProviders: readonly string[] | null;
  /** Whose rules it answers by; null of one that only observes, too. */
  readonly asClient: ProbeProfile | null;
}

export const nothingTold: ToldClient = { templates: null, certificateProviders: null, asClient: null };

export function toldOf(settings: ProbeSettings | undefined): ToldClient {
  if (settings === undefined) return nothingTold;
  const { templates, certificateProviders, manner, profile } = settings;
  return {
    templates,
    certificateProviders: certificateProviders && [...certificateProviders].sort(),
    asClient: manner === 'as-client' ? profile : null,
  };
}
