package bench.echo;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.PrimaryUpdateAndCacheUtils;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A ConfigMap for each Echo, its status, a finalizer. */
@ControllerConfiguration(
    name = "echo",
    finalizerName = "bench.dev/echo",
    fieldManager = EchoReconciler.FIELD_MANAGER)
final class EchoReconciler implements Reconciler<Echo>, Cleaner<Echo> {
  static final String FIELD_MANAGER = "echo-operator";
  private static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
  private static final String MANAGED_BY = "echo";

  private final Progress progress;
  private InformerEventSource<ConfigMap, Echo> configMaps;

  EchoReconciler(Progress progress) {
    this.progress = progress;
  }

  @Override
  public List<EventSource<?, Echo>> prepareEventSources(EventSourceContext<Echo> context) {
    var configuration =
        InformerEventSourceConfiguration.from(ConfigMap.class, Echo.class)
            .withLabelSelector(MANAGED_BY_LABEL + "=" + MANAGED_BY)
            .withItemStore(new StrippedStore<ConfigMap>())
            .build();
    configMaps = new InformerEventSource<>(configuration, context);
    return List.of(configMaps);
  }

  @Override
  public UpdateControl<Echo> reconcile(Echo echo, Context<Echo> context) {
    ResourceID done = null;
    try {
      ensureConfigMap(echo, context);
      ensureStatus(echo, context);
      done = ResourceID.fromResource(echo);
    } finally {
      progress.reconciled(done);
    }
    return UpdateControl.noUpdate();
  }

  @Override
  public DeleteControl cleanup(Echo echo, Context<Echo> context) {
    progress.reconciled(ResourceID.fromResource(echo));
    return DeleteControl.defaultDelete();
  }

  private void ensureConfigMap(Echo echo, Context<Echo> context) {
    var id = ResourceID.fromResource(echo);
    var text = Objects.requireNonNullElse(echo.getSpec().text(), "");
    var n = Objects.requireNonNullElse(echo.getSpec().n(), 0);
    var data = Map.of("text", text, "n", n.toString());
    var current = configMaps.get(id).orElse(null);
    if (current != null && isSame(current, data, echo)) {
      return;
    }
    var owner =
        new OwnerReferenceBuilder()
            .withApiVersion(echo.getApiVersion())
            .withKind(echo.getKind())
            .withName(echo.getMetadata().getName())
            .withUid(echo.getMetadata().getUid())
            .withController(true)
            .withBlockOwnerDeletion(true)
            .build();
    var wanted =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(echo.getMetadata().getName())
            .withNamespace(echo.getMetadata().getNamespace())
            .addToLabels(MANAGED_BY_LABEL, MANAGED_BY)
            .withOwnerReferences(owner)
            .endMetadata()
            .withData(data)
            .build();
    var applied =
        context.getClient().resource(wanted).fieldManager(FIELD_MANAGER).forceConflicts().serverSideApply();
    if (current == null) {
      configMaps.handleRecentResourceCreate(id, applied);
    } else {
      configMaps.handleRecentResourceUpdate(id, applied, current);
    }
  }

  private static boolean isSame(ConfigMap current, Map<String, String> data, Echo echo) {
    return data.equals(current.getData())
        && MANAGED_BY.equals(current.getMetadata().getLabels().get(MANAGED_BY_LABEL))
        && current.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                owner ->
                    Boolean.TRUE.equals(owner.getController())
                        && owner.getUid().equals(echo.getMetadata().getUid()));
  }

  private void ensureStatus(Echo echo, Context<Echo> context) {
    var generation = echo.getMetadata().getGeneration();
    var before = echo.getStatus();
    var conditions = new ArrayList<Condition>();
    if (before != null && before.conditions() != null) {
      conditions.addAll(before.conditions());
    }
    var since =
        conditions.stream()
            .filter(it -> it.getType().equals("Ready") && it.getStatus().equals("True"))
            .map(Condition::getLastTransitionTime)
            .findFirst()
            .orElseGet(() -> Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    conditions.removeIf(it -> it.getType().equals("Ready"));
    conditions.add(
        new ConditionBuilder()
            .withType("Ready")
            .withStatus("True")
            .withReason("Echoed")
            .withMessage("")
            .withObservedGeneration(generation)
            .withLastTransitionTime(since)
            .build());
    var status = new Echo.Status(generation, "Ready", conditions);
    if (status.equals(before)) {
      return;
    }
    var patch = new Echo();
    patch.setMetadata(
        new ObjectMetaBuilder()
            .withName(echo.getMetadata().getName())
            .withNamespace(echo.getMetadata().getNamespace())
            .build());
    patch.setStatus(status);
    PrimaryUpdateAndCacheUtils.ssaPatchStatusAndCacheResource(echo, patch, context);
  }
}
