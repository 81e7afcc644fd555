import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { KnownSettings } from './known-settings';
import type { StoredHead } from './stored-permalink';

/** KnownSettings as JSON can hold it. */
export type StoredSettings = StoredHead['told'];

export function storeSettings({ templates, certificateProviders, ...told }: KnownSettings): StoredSettings {
  return {
    ...told,
    certificateProviders: certificateProviders && [...certificateProviders],
    templates: templates && freezeTemplates(templates),
  };
}

function freezeTemplates({ clientDefault, authorities }: ListenerNameTemplates): StoredSettings['templates'] {
  const byAuthority = [...authorities].map(
    ([name, { clientListenerResourceNameTemplate }]): [string, string] => [
      name,
      clientListenerResourceNameTemplate,
    ],
  );
  return { clientDefault, authorities: byAuthority };
}

export function loadSettings({ templates, ...told }: StoredSettings): KnownSettings {
  if (templates === null) return { ...told, templates };
  const authorities = templates.authorities.map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...told,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
