import { clientViews } from '@/lib/views/client/client-views';

/** Paths of the pages that exist whatever was recorded. */
export const fleetPages = [
  '/',
  '/clients',
  '/clients/cohorts',
  '/clients/identity',
  '/clients/sizes',
  '/history',
  '/nacks',
  '/pushes',
  '/pushes?view=resources',
  '/explain',
  '/check',
  '/compare',
  '/compare/rules',
  '/load',
  '/interop',
  '/interop/runs',
  '/interop/servers',
  '/sources',
  '/sources/recorder',
  '/sources/imports',
  '/lab',
  '/about',
];

/** Paths of a client's pages, or of a permalink's: `/clients/ID` and one for each of its views. */
export function clientPages(base: string): string[] {
  return [base, ...Object.keys(clientViews).map((view) => `${base}/${view}`)];
}
