// A management server on java-control-plane. Usage: ControlPlane XDS_ADDRESS
//
// Input lines:
//
//   push TYPE_URL VERSION [BASE64]...   replaces all resources of a type
//   stop                                ends streams and connections
//   start                               listens again at the same address
//
// Output lines: "READY PORT", "DONE" after each input line, and
// "EVENT AT_MS KIND STREAM TYPE_URL VERSION NAMES TEXT VERSIONS REMOVED", where "-" is empty, TEXT is base64, and NAMES,
// VERSIONS and REMOVED are separated by commas. NAMES are those that the stream requests, or in a delta response those of
// its resources; VERSIONS are in the same order.
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.DiscoveryServerCallbacks;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DeltaDiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

public final class ControlPlane implements DiscoveryServerCallbacks {
  private static final List<Class<? extends Message>> TYPES =
      List.of(Cluster.class, ClusterLoadAssignment.class, Listener.class, RouteConfiguration.class);
  private static final String PREFIX = "type.googleapis.com/";

  private final SimpleCache<String> cache = new SimpleCache<>(node -> "every node");
  private final Map<String, String> versions = new ConcurrentHashMap<>(); // by stream and nonce
  // Delta: the requested names by stream and type.
  private final Map<String, Set<String>> subscribed = new ConcurrentHashMap<>();
  private final Map<String, List<Message>> resources = new HashMap<>();
  private final Map<String, String> current = new HashMap<>();

  public static void main(String[] args) throws Exception {
    String[] address = args[0].split(":");
    ControlPlane controlPlane = new ControlPlane();
    Server server = controlPlane.start(address[0], Integer.parseInt(address[1]));
    int port = server.getPort();
    print("READY " + port);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("push")) controlPlane.push(words);
      if (words[0].equals("stop")) server.shutdownNow().awaitTermination();
      if (words[0].equals("start")) server = controlPlane.start(address[0], port);
      print("DONE");
    }
    System.exit(0);
  }

  private Server start(String host, int port) throws Exception {
    return NettyServerBuilder.forAddress(new InetSocketAddress(host, port))
        .addService(new V3DiscoveryServer(this, cache).getAggregatedDiscoveryServiceImpl())
        .build()
        .start();
  }

  private void push(String[] words) throws Exception {
    List<Message> pushed = new ArrayList<>();
    for (int i = 3; i < words.length; i++) {
      byte[] bytes = Base64.getDecoder().decode(words[i]);
      Any any =
          Any.newBuilder()
              .setTypeUrl(words[1])
              .setValue(com.google.protobuf.ByteString.copyFrom(bytes))
              .build();
      for (Class<? extends Message> type : TYPES) if (any.is(type)) pushed.add(any.unpack(type));
    }
    resources.put(words[1], pushed);
    current.put(words[1], words[2]);
    cache.setSnapshot(
        "every node",
        Snapshot.create(
            of(Cluster.class), versionOf(Cluster.class),
            of(ClusterLoadAssignment.class), versionOf(ClusterLoadAssignment.class),
            of(Listener.class), versionOf(Listener.class),
            of(RouteConfiguration.class), versionOf(RouteConfiguration.class),
            List.of(), "v0"));
  }

  private static String urlOf(Class<? extends Message> type) {
    return PREFIX + com.google.protobuf.Internal.getDefaultInstance(type).getDescriptorForType().getFullName();
  }

  @SuppressWarnings("unchecked")
  private <T extends Message> List<T> of(Class<T> type) {
    return (List<T>) resources.getOrDefault(urlOf(type), List.of());
  }

  private String versionOf(Class<? extends Message> type) {
    return current.getOrDefault(urlOf(type), "none");
  }

  private static synchronized void print(String line) {
    System.out.println(line);
  }

  private static void event(
      String kind,
      long stream,
      String type,
      String version,
      Collection<String> names,
      String text,
      List<String> versions,
      List<String> removed) {
    String encoded = text.isEmpty() ? "-" : Base64.getEncoder().encodeToString(text.getBytes());
    List<String> words =
        List.of(
            "EVENT",
            "" + System.currentTimeMillis(),
            kind,
            "" + stream,
            type,
            version.isEmpty() ? "-" : version,
            list(names),
            encoded,
            list(versions),
            list(removed));
    print(String.join(" ", words));
  }

  private static String list(Collection<String> words) {
    return words.isEmpty() ? "-" : String.join(",", words);
  }

  private void received(
      long stream, String type, String nonce, Collection<String> names, boolean isNack, String text) {
    String version = versions.get(stream + " " + nonce);
    String kind = isNack ? "nack" : version == null ? "subscription" : "ack";
    event(kind, stream, type, version == null ? "" : version, names, text, List.of(), List.of());
  }

  private void sent(long stream, String type, String nonce, String version) {
    versions.put(stream + " " + nonce, version);
    event("response", stream, type, version, List.of(), "", List.of(), List.of());
  }

  private Collection<String> subscribe(long stream, DeltaDiscoveryRequest request) {
    Set<String> names = subscribed.computeIfAbsent(stream + " " + request.getTypeUrl(), key -> new TreeSet<>());
    names.addAll(request.getResourceNamesSubscribeList());
    names.removeAll(request.getResourceNamesUnsubscribeList());
    names.remove("*");
    return names;
  }

  @Override
  public void onV3StreamRequest(long stream, DiscoveryRequest request) {
    received(
        stream,
        request.getTypeUrl(),
        request.getResponseNonce(),
        request.getResourceNamesList(),
        request.hasErrorDetail(),
        request.getErrorDetail().getMessage());
  }

  @Override
  public void onV3StreamResponse(long stream, DiscoveryRequest request, DiscoveryResponse response) {
    sent(stream, response.getTypeUrl(), response.getNonce(), response.getVersionInfo());
  }

  @Override
  public void onV3StreamDeltaRequest(long stream, DeltaDiscoveryRequest request) {
    received(
        stream,
        request.getTypeUrl(),
        request.getResponseNonce(),
        subscribe(stream, request),
        request.hasErrorDetail(),
        request.getErrorDetail().getMessage());
  }

  @Override
  public void onV3StreamDeltaResponse(
      long stream, DeltaDiscoveryRequest request, DeltaDiscoveryResponse response) {
    versions.put(stream + " " + response.getNonce(), response.getSystemVersionInfo());
    event(
        "response",
        stream,
        response.getTypeUrl(),
        response.getSystemVersionInfo(),
        response.getResourcesList().stream().map(Resource::getName).collect(Collectors.toList()),
        "",
        response.getResourcesList().stream().map(Resource::getVersion).collect(Collectors.toList()),
        response.getRemovedResourcesList());
  }
}
