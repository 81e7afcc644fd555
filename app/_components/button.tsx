'use client';

import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';

export interface ButtonProps {
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly tone?: 'plain' | 'accent' | 'danger' | 'quiet';
  readonly icon?: IconName;
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  /** The button keeps the focus, and does nothing. */
  readonly isPending?: boolean;
  readonly label?: string;
  readonly className?: string;
}

const tones = {
  plain: 'border-line-strong/60 bg-raised text-text hover:bg-hover',
  accent: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-nacked/60 bg-raised text-nacked hover:bg-nacked/10',
  quiet: 'border-transparent bg-transparent text-muted hover:bg-hover hover:text-text',
} as const;

export function Button({
  children,
  onPress,
  tone = 'plain',
  icon,
  type = 'button',
  isDisabled,
  isPending = false,
  label,
  className = '',
}: ButtonProps) {
  return (
    <button
      type={isPending ? 'button' : type}
      onClick={() => {
        if (!isPending) onPress?.();
      }}
      disabled={isDisabled}
      aria-disabled={isPending || undefined}
      aria-label={label}
      className={`inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 text-medium font-medium whitespace-nowrap transition disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:opacity-60 ${tones[tone]} ${className}`}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
