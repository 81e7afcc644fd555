/** The groups of the search box, in their order after a text was typed. */
export const paletteGroups = {
  recent: 'Recent',
  times: 'Times',
  actions: 'Actions',
  pages: 'Pages',
  resources: 'Resources',
  clients: 'Clients',
  nacks: 'NACKs',
  endpoints: 'Endpoints',
  domains: 'Domains',
  versions: 'Versions',
  contents: 'Contents',
} as const;
export type PaletteGroupName = keyof typeof paletteGroups;

/** A choice of the search box. It opens a page, or does what is registered under `action`. */
export interface PaletteItem {
  readonly id: string;
  readonly group: PaletteGroupName;
  readonly title: string;
  /** The kind of thing that it is, as in "CDS". */
  readonly label: string;
  /** As in "held by 3 clients". */
  readonly detail: string;
  readonly target: { readonly href: string } | { readonly action: string };
}

export interface PaletteGroup {
  readonly name: PaletteGroupName;
  readonly items: readonly PaletteItem[];
}
