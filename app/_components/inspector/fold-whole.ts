import { foldAll, forceParsing } from '@codemirror/language';
import type { EditorView } from '@codemirror/view';

const stepMs = 40;
/** What is not parsed until then is not folded. */
const mostMs = 20_000;

/** Folds the whole text. The editor parses little more than what is in sight, so the rest is parsed first, in steps. */
export function foldWhole(view: EditorView): true {
  const endsAt = performance.now() + mostMs;
  const next = () => {
    if (!view.dom.isConnected) return;
    const isParsed = forceParsing(view, view.state.doc.length, stepMs);
    if (isParsed || performance.now() > endsAt) foldAll(view);
    else setTimeout(next);
  };
  next();
  return true;
}
