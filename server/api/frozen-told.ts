import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import { nothingTold, type ToldClient } from './told-client';

/** ToldClient as JSON can hold it: what a permalink keeps of how its client was told. */
export interface FrozenTold extends Omit<ToldClient, 'templates'> {
  readonly templates: {
    readonly clientDefault: string;
    /** By authority. */
    readonly authorities: Readonly<Record<string, string>>;
  } | null;
}

export function freezeTold({ templates, ...told }: ToldClient): FrozenTold {
  return { ...told, templates: templates && freezeTemplates(templates) };
}

function freezeTemplates({ clientDefault, authorities }: ListenerNameTemplates): FrozenTold['templates'] {
  const byAuthority = [...authorities].map(
    ([name, { clientListenerResourceNameTemplate }]) => [name, clientListenerResourceNameTemplate] as const,
  );
  return { clientDefault, authorities: Object.fromEntries(byAuthority) };
}

/** undefined: of a link that was made before this was kept. */
export function thawTold(frozen: FrozenTold | undefined): ToldClient {
  if (frozen === undefined) return nothingTold;
  const { templates, ...told } = frozen;
  if (templates === null) return { ...told, templates };
  const authorities = Object.entries(templates.authorities).map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...told,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
