import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { KnownSettings } from '../../subjects/known-settings';
import type { StoredHead } from './stored-permalink';

/** KnownSettings as JSON can hold it. */
export type StoredSettings = StoredHead['reported'];

export function storeSettings({
  templates,
  certificateProviders,
  ...reported
}: KnownSettings): StoredSettings {
  return {
    ...reported,
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

export function loadSettings({ templates, ...reported }: StoredSettings): KnownSettings {
  if (templates === null) return { ...reported, templates };
  const authorities = templates.authorities.map(
    ([name, clientListenerResourceNameTemplate]) => [name, { clientListenerResourceNameTemplate }] as const,
  );
  return {
    ...reported,
    templates: { clientDefault: templates.clientDefault, authorities: new Map(authorities) },
  };
}
