import { LinkTabs } from './link-tabs';

const tabs = [
  {
    href: '/interop',
    label: 'Matrix',
    description: 'What each version of a client does in the cases of the gRPC xDS interop tests.',
  },
  {
    href: '/interop/runs',
    label: 'Runs',
    description: 'Runs of these cases, and how to start one.',
  },
  {
    href: '/interop/servers',
    label: 'Servers',
    description: 'Management servers, checked by the rules of the xDS transport protocol.',
  },
] as const;

export function InteropTabs({ current }: { readonly current: (typeof tabs)[number]['href'] }) {
  return <LinkTabs label="Interop" tabs={tabs.map((tab) => ({ ...tab, isCurrent: tab.href === current }))} />;
}
