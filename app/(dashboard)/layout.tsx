import type { ReactNode } from 'react';
import { Shell } from '../_components/shell/shell';

export default function DashboardLayout({ children }: { readonly children: ReactNode }) {
  return <Shell>{children}</Shell>;
}
