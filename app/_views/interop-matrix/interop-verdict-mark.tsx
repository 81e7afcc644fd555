import { GlyphMark } from '@/app/_components/shape-mark';
import type { InteropVerdict } from '@/lib/observation/interop-verdicts';
import { interopVerdictShape } from '@/lib/views/interop-matrix/verdict-shape';

export function InteropVerdictMark({ verdict }: { readonly verdict: InteropVerdict }) {
  return <GlyphMark shape={interopVerdictShape(verdict)} sizePx={11} />;
}
