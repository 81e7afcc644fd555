// A client of the gRPC xDS interop tests on gRPC-Java. Usage: TestClient DESCRIPTORS FLAG...
//
// DESCRIPTORS is a FileDescriptorSet, compressed by gzip, that contains grpc.testing. The flags are those of the test
// description. The client serves its statistics, CSDS and channelz at the stats port of 127.0.0.1, implements the LB policy of
// the case custom_lb, and ends when its standard input ends. With --twin it is the client of a twin: see TwinClient.java.
import com.google.gson.Gson;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.LoadBalancerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.services.AdminInterface;
import io.grpc.stub.ServerCalls;
import io.grpc.xds.XdsChannelCredentials;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;

public final class TestClient {
  private static final Map<String, String> METHODS =
      Map.of("EMPTY_CALL", "EmptyCall", "UNARY_CALL", "UnaryCall");
  private static final Metadata.Key<String> HOSTNAME = key("hostname");
  private static final Gson GSON = new Gson();
  /**
   * RPCs of a type that wait for the first connection, which takes seconds on a busy machine: all of them begin when it is
   * ready, and the cluster fails those beyond 1,024 in flight.
   */
  private static final int MAX_WAITING = 500;

  private final Map<String, Descriptor> messages = new HashMap<>();
  private final long usualTimeoutSeconds;
  private volatile Configuration configuration;
  private final List<Block> blocks = new ArrayList<>();
  private final Map<String, Integer> started = new TreeMap<>();
  private final Map<String, Map<Integer, Integer>> ended = new TreeMap<>();

  /** What Configure replaces while the program runs. */
  private static final class Configuration {
    final List<String> types = new ArrayList<>();
    final Map<String, Metadata> metadata = new HashMap<>();
    long timeoutSeconds;

    void add(String type, String name, String value) {
      metadata.computeIfAbsent(type, unused -> new Metadata()).put(key(name), value);
    }
  }

  /** Counts the RPCs that start after a request of GetClientStats. */
  private static final class Block {
    final int requested;
    int started;
    int ended;
    int failed;
    final Map<String, Integer> byPeer = new TreeMap<>();
    final Map<String, Map<String, Map<String, Integer>>> byMethod = new TreeMap<>();
    final CompletableFuture<Void> complete = new CompletableFuture<>();

    Block(int requested) {
      this.requested = requested;
    }

    /** An RPC that no server has signed counts as failed. */
    void add(String method, String server) {
      ended++;
      if (server == null) {
        failed++;
      } else {
        byPeer.merge(server, 1, Integer::sum);
        byMethod
            .computeIfAbsent(method, unused -> Map.of("rpcsByPeer", new TreeMap<>()))
            .get("rpcsByPeer")
            .merge(server, 1, Integer::sum);
      }
      if (ended == requested) complete.complete(null);
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[1].equals("--twin")) {
      TwinClient.run();
      return;
    }
    Map<String, String> flags =
        new HashMap<>(
            Map.of(
                "server", "xds:///svc",
                "stats_port", "8081",
                "qps", "1",
                "rpc", "UnaryCall",
                "metadata", "",
                "rpc_timeout_sec", "20",
                "secure_mode", "false"));
    for (int i = 1; i < args.length; i++) {
      String[] parts = args[i].split("=", 2);
      if (parts.length != 2 || flags.replace(parts[0].substring(2), parts[1]) == null) {
        throw new IllegalArgumentException("expected flags of " + flags.keySet() + ", got " + args[i]);
      }
    }
    LoadBalancerRegistry.getDefaultRegistry().register(new RpcBehaviorPolicy());
    new TestClient(args[0], flags).run(flags);
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  private TestClient(String descriptors, Map<String, String> flags) throws Exception {
    readMessages(descriptors);
    usualTimeoutSeconds = Long.parseLong(flags.get("rpc_timeout_sec"));
    configuration = parseConfiguration(flags);
  }

  private void readMessages(String file) throws IOException, DescriptorValidationException {
    try (GZIPInputStream input = new GZIPInputStream(new FileInputStream(file))) {
      for (FileDescriptorProto proto : FileDescriptorSet.parseFrom(input).getFileList()) {
        if (!proto.getPackage().equals("grpc.testing") || proto.getServiceCount() > 0) continue;
        FileDescriptor built = FileDescriptor.buildFrom(proto, new FileDescriptor[0], true);
        for (Descriptor each : built.getMessageTypes()) messages.put(each.getName(), each);
      }
    }
  }

  private Configuration parseConfiguration(Map<String, String> flags) {
    Configuration parsed = new Configuration();
    parsed.timeoutSeconds = usualTimeoutSeconds;
    for (String method : flags.get("rpc").split(",")) parsed.types.add(typeOf(method));
    for (String entry : flags.get("metadata").split(",")) {
      if (entry.isEmpty()) continue;
      String[] parts = entry.split(":", 3);
      parsed.add(typeOf(parts[0]), parts[1], parts[2]);
    }
    return parsed;
  }

  private static String typeOf(String method) {
    for (Map.Entry<String, String> each : METHODS.entrySet()) {
      if (each.getValue().equals(method)) return each.getKey();
    }
    throw new IllegalArgumentException("expected EmptyCall or UnaryCall, got " + method);
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private void run(Map<String, String> flags) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress("127.0.0.1", Integer.parseInt(flags.get("stats_port")));
    NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
        .addServices(AdminInterface.getStandardServices())
        .addService(
            serve(
                "LoadBalancerStatsService",
                Map.of("GetClientStats", "LoadBalancerStats", "GetClientAccumulatedStats", "LoadBalancerAccumulatedStats"),
                request ->
                    request.getDescriptorForType().getName().equals("LoadBalancerStatsRequest")
                        ? countBlock(request)
                        : accumulated()))
        .addService(
            serve("XdsUpdateClientConfigureService", Map.of("Configure", "ClientConfigure"), this::configure))
        .executor(Executors.newCachedThreadPool())
        .build()
        .start();
    ChannelCredentials credentials = InsecureChannelCredentials.create();
    if (flags.get("secure_mode").equals("true")) credentials = XdsChannelCredentials.create(credentials);
    ManagedChannel channel = Grpc.newChannelBuilder(flags.get("server"), credentials).build();
    int qps = Integer.parseInt(flags.get("qps"));
    long begin = System.nanoTime();
    int[] sent = {0};
    // A tick that is late starts the RPCs that are due.
    Runnable tick =
        () -> {
          long due = (System.nanoTime() - begin) * qps / 1_000_000_000L;
          for (; sent[0] < due; sent[0]++) {
            Configuration now = configuration;
            for (String type : now.types) if (mayStart(type)) call(channel, type, now);
          }
        };
    Executors.newSingleThreadScheduledExecutor().scheduleAtFixedRate(tick, 0, 10, TimeUnit.MILLISECONDS);
  }

  /** `methods`: their names, and the names of their messages without "Request" and "Response". */
  private ServerServiceDefinition serve(
      String name, Map<String, String> methods, Function<Message, Map<String, ?>> answer) {
    String service = "grpc.testing." + name;
    ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service);
    methods.forEach(
        (method, message) ->
            definition.addMethod(
                method(service + "/" + method, message + "Request", message + "Response"),
                ServerCalls.asyncUnaryCall(
                    (request, observer) -> {
                      observer.onNext(toMessage(message + "Response", answer.apply(request)));
                      observer.onCompleted();
                    })));
    return definition.build();
  }

  private MethodDescriptor<Message, Message> method(String name, String request, String response) {
    return MethodDescriptor.<Message, Message>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(ProtoUtils.marshaller(emptyMessage(request)))
        .setResponseMarshaller(ProtoUtils.marshaller(emptyMessage(response)))
        .build();
  }

  private Message emptyMessage(String name) {
    return DynamicMessage.getDefaultInstance(messages.get(name));
  }

  private Message toMessage(String name, Map<String, ?> fields) {
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(messages.get(name));
    try {
      JsonFormat.parser().merge(GSON.toJson(fields), builder);
    } catch (InvalidProtocolBufferException error) {
      throw new IllegalStateException(error);
    }
    return builder.build();
  }

  private static Object field(Message message, String name) {
    return message.getField(message.getDescriptorForType().findFieldByName(name));
  }

  private void call(ManagedChannel channel, String type, Configuration now) {
    List<Block> counting = begin(type);
    String message = type.equals("EMPTY_CALL") ? "Empty" : "SimpleRequest";
    String answer = type.equals("EMPTY_CALL") ? "Empty" : "SimpleResponse";
    MethodDescriptor<Message, Message> method =
        method("grpc.testing.TestService/" + METHODS.get(type), message, answer);
    CallOptions options =
        CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(now.timeoutSeconds, TimeUnit.SECONDS);
    Metadata headers = new Metadata();
    headers.merge(now.metadata.getOrDefault(type, new Metadata()));
    ClientCall<Message, Message> call = channel.newCall(method, options);
    call.start(
        new ClientCall.Listener<>() {
          private String server;

          @Override
          public void onHeaders(Metadata received) {
            server = received.get(HOSTNAME);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end(type, status.getCode().value(), status.isOk() ? server : null, counting);
          }
        },
        headers);
    call.request(2);
    call.sendMessage(emptyMessage(message));
    call.halfClose();
  }

  private synchronized boolean mayStart(String type) {
    return !ended.isEmpty() || started.getOrDefault(type, 0) < MAX_WAITING;
  }

  /** Counts an RPC that starts, and returns the blocks to which it belongs. */
  private synchronized List<Block> begin(String type) {
    started.merge(type, 1, Integer::sum);
    List<Block> counting = new ArrayList<>();
    for (Block each : blocks) {
      if (each.started == each.requested) continue;
      each.started++;
      counting.add(each);
    }
    return counting;
  }

  private synchronized void end(String type, int code, String server, List<Block> counting) {
    ended.computeIfAbsent(type, unused -> new TreeMap<>()).merge(code, 1, Integer::sum);
    for (Block each : counting) each.add(METHODS.get(type), server);
  }

  private Map<String, ?> countBlock(Message request) {
    Block block = new Block((Integer) field(request, "num_rpcs"));
    synchronized (this) {
      blocks.add(block);
    }
    block.complete.copy().completeOnTimeout(null, (Integer) field(request, "timeout_sec"), TimeUnit.SECONDS).join();
    synchronized (this) {
      blocks.remove(block);
      int failed = block.failed + block.requested - block.ended;
      return Map.of(
          "rpcsByPeer", new TreeMap<>(block.byPeer),
          "numFailures", failed,
          "rpcsByMethod", new TreeMap<>(block.byMethod));
    }
  }

  private synchronized Map<String, ?> accumulated() {
    Map<String, Integer> succeeded = new TreeMap<>();
    Map<String, Integer> failed = new TreeMap<>();
    Map<String, Object> perMethod = new TreeMap<>();
    started.forEach(
        (type, count) -> {
          Map<Integer, Integer> result = new TreeMap<>(ended.getOrDefault(type, Map.of()));
          perMethod.put(type, Map.of("rpcsStarted", count, "result", result));
          result.forEach((code, number) -> (code == 0 ? succeeded : failed).merge(type, number, Integer::sum));
        });
    return Map.of(
        "numRpcsStartedByMethod", new TreeMap<>(started),
        "numRpcsSucceededByMethod", succeeded,
        "numRpcsFailedByMethod", failed,
        "statsPerMethod", perMethod);
  }

  private Map<String, ?> configure(Message request) {
    Configuration next = new Configuration();
    int seconds = (Integer) field(request, "timeout_sec");
    next.timeoutSeconds = seconds > 0 ? seconds : usualTimeoutSeconds;
    for (Object type : (List<?>) field(request, "types")) next.types.add(type.toString());
    for (Object entry : (List<?>) field(request, "metadata")) {
      Message message = (Message) entry;
      next.add(
          field(message, "type").toString(),
          (String) field(message, "key"),
          (String) field(message, "value"));
    }
    configuration = next;
    return Map.of();
  }
}
