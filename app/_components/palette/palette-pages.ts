import type { PaletteItem } from '@/lib/view-model/search/palette-item';

const pages: readonly (readonly [title: string, href: string, about?: string])[] = [
  ['Overview', '/', 'active issues'],
  ['Clients', '/clients', 'fleet'],
  ['Cohorts', '/clients/cohorts', 'clients with identical config'],
  ['Sizes', '/clients/sizes', 'bytes of config'],
  ['Certificates', '/clients/identity', 'expiry, duplicate node IDs'],
  ['NACKs', '/nacks', 'rejected resources'],
  ['Pushes', '/pushes', 'which clients ACKed what was sent'],
  ['Compare', '/compare', 'two clients or moments'],
  ['History', '/history', 'recorded events'],
  ['Load', '/load', 'requests and errors'],
  ['Settings', '/sources', 'sources, imports and recorder'],
  ['Lab', '/lab', 'embedded mesh and faults'],
];

/** The pages that need no client. */
export const palettePages: readonly PaletteItem[] = pages.map(([title, href, label = '']) => ({
  ...{ id: `page ${href}`, group: 'pages', title, label, detail: '', target: { href } },
}));
