import type { PaletteItem } from '@/lib/view-model/search/palette-item';

const storageKey = 'xdscope-recent';
const mostKept = 6;

/** The newest is first. A stored value of another form is ignored. */
export function readRecentChoices(): PaletteItem[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(toItem).slice(0, mostKept) : [];
  } catch {
    // Storage is blocked, or has another text.
    return [];
  }
}

/** Only choices that open a page are kept. */
export function keepRecentChoice({ title, label, target }: PaletteItem): void {
  if (!('href' in target)) return;
  const others = readRecentChoices().filter(
    (each) => 'href' in each.target && each.target.href !== target.href,
  );
  const kept = [{ title, label, href: target.href }, ...others.flatMap(toStored)].slice(0, mostKept);
  try {
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    // If storage is blocked, no choices are kept.
  }
}

function toStored({ title, label, target }: PaletteItem) {
  return 'href' in target ? [{ title, label, href: target.href }] : [];
}

function toItem(stored: unknown): PaletteItem[] {
  if (typeof stored !== 'object' || stored === null) return [];
  const { title, label, href } = stored as Record<string, unknown>;
  if (typeof title !== 'string' || typeof label !== 'string' || typeof href !== 'string') return [];
  // A link to another site would be a way out of the program.
  if (!/^\/(?![/\\])/.test(href)) return [];
  return [{ id: `recent ${href}`, group: 'recent', title, label, detail: '', target: { href } }];
}
