import { LinkTabs } from './link-tabs';

/** The two views of what is sent: whether it arrives, and whether it need be sent at all. */
export function ConvergenceTabs({ current }: { readonly current: 'convergence' | 'churn' }) {
  return (
    <LinkTabs
      label="What is sent"
      tabs={[
        { href: '/convergence', label: 'Convergence', isCurrent: current === 'convergence' },
        { href: '/churn', label: 'Churn', isCurrent: current === 'churn' },
      ]}
    />
  );
}
