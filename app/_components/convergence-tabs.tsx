'use client';

import { parseAsString, useQueryStates } from 'nuqs';
import { LinkTabs } from './link-tabs';

/** Both pages share the time range. */
const extentParams = { from: parseAsString.withDefault(''), to: parseAsString.withDefault('') };

export function ConvergenceTabs({ current }: { readonly current: 'convergence' | 'churn' }) {
  const [{ from, to }] = useQueryStates(extentParams);
  const query = new URLSearchParams(Object.entries({ from, to }).filter(([, at]) => at !== ''));
  const search = query.size === 0 ? '' : `?${query}`;
  return (
    <LinkTabs
      label="What is sent"
      tabs={[
        { href: `/convergence${search}`, label: 'Convergence', isCurrent: current === 'convergence' },
        { href: `/churn${search}`, label: 'Churn', isCurrent: current === 'churn' },
      ]}
    />
  );
}
