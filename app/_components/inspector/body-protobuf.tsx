'use client';

import { BytesText } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import { apiRoot } from '@/app/_hooks/api-client';

interface BodyProtobufProps {
  readonly hash: string;
  readonly sizeBytes: number;
  readonly fileName: string;
}

export function BodyProtobuf({ hash, sizeBytes, fileName }: BodyProtobufProps) {
  const href = `${apiRoot}/resources/${encodeURIComponent(hash)}?format=binary`;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1">
      <span title="Size of the stored protobuf bytes">
        <BytesText sizeBytes={sizeBytes} /> of protobuf
      </span>
      <CopyButton text={() => readBase64(href)} label="Copy the protobuf bytes as base64" />
      <a
        href={href}
        download={fileName}
        aria-label="Download the protobuf bytes"
        title="Download the protobuf bytes"
        className="rounded px-1 link-quiet hover:bg-hover"
      >
        Download
      </a>
    </span>
  );
}

async function readBase64(href: string): Promise<string> {
  const response = await fetch(href);
  if (!response.ok) throw new Error(`expected the bytes, got ${response.status}`);
  const bytes = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error('expected the bytes, got none'));
    // "data:application/x-protobuf;base64,CgFh"; without bytes the part after the comma may be missing.
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
    reader.readAsDataURL(bytes);
  });
}
