import { GlyphMark } from '@/app/_components/shape-mark';
import type { CheckVerdict } from '@/lib/server-checks/server-check';
import { verdictShape } from '@/lib/views/server-checks/verdict-shape';

export function VerdictMark({ verdict }: { readonly verdict: CheckVerdict }) {
  return <GlyphMark shape={verdictShape(verdict)} sizePx={11} />;
}
