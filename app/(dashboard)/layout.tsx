import type { ReactNode } from 'react';
import { PaletteProvider } from '../_components/palette/palette-context';
import { Shell } from '../_components/shell/shell';

export default function DashboardLayout({ children }: { readonly children: ReactNode }) {
  return (
    <PaletteProvider>
      <Shell>{children}</Shell>
    </PaletteProvider>
  );
}
