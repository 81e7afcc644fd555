'use client';

import type { ComponentProps } from 'react';
import DashboardError from './(dashboard)/error';

export default function ErrorPage(props: ComponentProps<typeof DashboardError>) {
  return (
    <main className="p-6">
      <DashboardError {...props} />
    </main>
  );
}
