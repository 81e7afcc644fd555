import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { StoredHead } from './stored-permalink';
import type { ToldClient } from './told-client';

/** ToldClient as JSON can hold it. */
export type FrozenTold = StoredHead['told'];

export function freezeTold({ templates, certificateProviders, ...told }: ToldClient): FrozenTold {
  return {
    ...told,
    certificateProviders: certificateProviders && [...certificateProviders],
    templates: templates && freezeTemplates(templates),
  };
}

function freezeTemplates({ clientDefault, authorities }: ListenerNameTemplates): FrozenTold['templates'] {
  const byAuthority = [...authorities].map(
    ([name, { clientListenerResourceNameTemplate }]): [string, string] => [
      name,
      clientListenerResourceNameTemplate,
    ],
  );
  return { clientDefault, authorities: byAuthority };
}

export function thawTold({ templates, ...told }: FrozenTold): ToldClient {
  if (templates === null) return { ...told, templates };
  const authorities = templates.authorities.map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...told,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
