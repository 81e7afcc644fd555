'use client';

import dynamic from 'next/dynamic';
import { loadOnInput } from '@/app/_components/load-on-input';
import { Skeleton } from '@/app/_components/skeleton';

/** The inspector, whose code is loaded before a resource is opened. */
export const InspectorSide = dynamic(
  () => import('./resource-inspector').then(({ ResourceInspector }) => ResourceInspector),
  { loading: () => <Skeleton waitsFor="the resource" rows={8} /> },
);
loadOnInput(() => import('./resource-inspector'));
