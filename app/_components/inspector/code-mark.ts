import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { TextRange } from './find-field-range';

/** Lines beyond that are not marked: a finding about a whole list would paint everything. */
const maxLines = 40;

const setMark = StateEffect.define<TextRange | null>();
const line = Decoration.line({ class: 'cm-marked-line' });

/** The lines of one range, marked. */
export const codeMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMark)) continue;
      if (effect.value === null) return Decoration.none;
      const { doc } = transaction.state;
      const first = doc.lineAt(Math.min(effect.value.from, doc.length)).number;
      const last = doc.lineAt(Math.min(Math.max(effect.value.from, effect.value.to - 1), doc.length)).number;
      const count = Math.min(last - first + 1, maxLines);
      return Decoration.set(
        Array.from({ length: count }, (_, index) => line.range(doc.line(first + index).from)),
      );
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Lines of what is around a mark that are in sight with it, in pixels. */
const marginPx = 96;

/**
 * Marks the range and brings it into sight; null takes the mark away. Nothing scrolls further than it must: what stands
 * above the text on the page stays in sight where there is room for both.
 */
export function markRange(view: EditorView, range: TextRange | null): void {
  const effects: StateEffect<unknown>[] = [setMark.of(range)];
  if (range !== null) {
    const from = Math.min(range.from, view.state.doc.length);
    effects.push(EditorView.scrollIntoView(from, { y: 'nearest', yMargin: marginPx }));
  }
  view.dispatch({ effects });
}
