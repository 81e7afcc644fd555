'use client';

import { useRef } from 'react';
import { Button, type ButtonProps } from './button';

interface FileButtonProps extends Pick<ButtonProps, 'children' | 'icon' | 'isPending'> {
  readonly isMultiple?: boolean;
  readonly onChoose: (files: readonly File[]) => void;
}

/** Opens the file dialog of the browser. */
export function FileButton({ isMultiple = false, onChoose, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onPress={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple={isMultiple}
        className="hidden"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same file can be chosen again.
          currentTarget.value = '';
          onChoose(files);
        }}
      />
    </>
  );
}
