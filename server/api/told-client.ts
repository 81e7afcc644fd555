import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { ProbeSettings } from '../xds/probe-settings';

/** What a client was told by its bootstrap and its user, where it is a probe of ours. null: not known. */
export interface ToldClient {
  /** How it makes a listener's name of a target. */
  readonly templates: ListenerNameTemplates | null;
  /** Names under certificate_providers, sorted. */
  readonly certificateProviders: readonly string[] | null;
}

export const nothingTold: ToldClient = { templates: null, certificateProviders: null };

export function toldOf(settings: ProbeSettings | undefined): ToldClient {
  if (settings === undefined) return nothingTold;
  const { templates, certificateProviders } = settings;
  return { templates, certificateProviders: certificateProviders && [...certificateProviders].sort() };
}
