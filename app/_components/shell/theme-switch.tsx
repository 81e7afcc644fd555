'use client';

import { type Theme, useTheme } from '../../_hooks/use-theme';
import { Icon, type IconName } from '../icon';

const themes: Readonly<Record<Theme, { icon: IconName; label: string; next: Theme }>> = {
  system: { icon: 'screen', label: 'system', next: 'light' },
  light: { icon: 'sun', label: 'light', next: 'dark' },
  dark: { icon: 'moon', label: 'dark', next: 'system' },
};

export function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  const { icon, label, next } = themes[theme];
  const description = `Theme: ${label}. Switch to ${themes[next].label}`;
  return (
    <button
      type="button"
      onClick={() => setTheme(next)}
      aria-label={description}
      title={description}
      className="inline-flex size-8 items-center justify-center rounded-md text-muted transition hover:bg-hover hover:text-text"
    >
      <Icon name={icon} sizePx={16} />
    </button>
  );
}
