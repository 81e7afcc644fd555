/** @type {import('next').NextConfig} */
const config = {
  // A second checkout of the pages (a dev server beside a built one) keeps its own output folder.
  distDir: process.env.XDSCOPE_DIST_DIR ?? '.next',
  // gRPC and protobuf stay in the long-lived server; pages reach them through server/index.ts only.
  serverExternalPackages: ['@grpc/grpc-js', 'protobufjs', 'libsql'],
  // server/http/compress-answer.ts and serve-asset.ts do.
  compress: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // The optimizer would request paths of this server for any web page. Without it Next does not need sharp, which
  // package.json replaces by an empty package.
  images: { unoptimized: true, localPatterns: [] },
  devIndicators: false,
  // Each page and route is loaded by its first request: loading all of them takes 0.4 s of a start.
  // Nothing reads source maps of pages.
  experimental: { preloadEntriesOnStart: false, turbopackSourceMaps: false },
  // Paths of earlier versions, which links and bookmarks have. The query is kept.
  redirects: async () => [
    { source: '/convergence', destination: '/pushes', permanent: true },
    { source: '/churn', destination: '/pushes?view=resources', permanent: true },
  ],
  // `npm test` and `npm run check` check all types; a build need not do it again.
  typescript: { ignoreBuildErrors: true },
  outputFileTracingExcludes: { '*': ['**/*'] },
};

export default config;
