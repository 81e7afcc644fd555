import type { Config, SourceConfig } from '@/server/config/config';
import type { SourceSetup } from '@/server/sources/source-kinds';

/** The sources of one kind. */
export function sourcesOf({ sources }: Config, kind: SourceSetup['kind']): SourceConfig[] {
  return sources.filter(({ setup }) => setup.kind === kind);
}
