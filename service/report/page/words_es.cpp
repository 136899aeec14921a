// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/words.hpp"

namespace valle::service::report {

const Words& spanish() {
  static constexpr Words words{
      .tag = "es",
      .decimal = ",",
      .thousands = ".",
      .percent = "\u00a0%",
      .days = "d",
      .hours = "h",
      .minutes = "min",
      .weekdays = {"lun", "mar", "mié", "jue", "vie", "sáb", "dom"},
      .months = {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
      .date = "{0} {1} {2}",
      .title = "Informe semanal de carbono",
      .week = "Semana {0}, del {1} al {2} (zona horaria {3})",
      .revision = "Revisión {0}",
      .supersedes = "sustituye a la revisión {0}, que se conserva",
      .filter = "solo los trabajos de {0}",
      .nothing_finished = "Ningún trabajo terminó en esta semana.",
      .nothing_assessed =
          "Ningún trabajo de esta semana se pudo evaluar: se desconoce la energía o la intensidad de la "
          "red.",
      .summary_saved =
          "Los trabajos evaluados emitieron {0} de CO₂e. De inmediato y en su región habitual habrían "
          "emitido {1}: se ahorraron {2} ({3}).",
      .summary_lost =
          "Los trabajos evaluados emitieron {0} de CO₂e. De inmediato y en su región habitual habrían "
          "emitido {1}: se emitieron {2} ({3}) más.",
      .uncertainty = "El ahorro se conoce con ± {0}: ± {1} por los contadores, ± {2} por los datos de la red.",
      .not_proven = "Es menos que la incertidumbre de ± {0}: no queda probado ningún ahorro.",
      .left_out = "Trabajos sin datos de energía o de intensidad, fuera de toda cifra de carbono: {0}.",
      .saved = "Ahorrado",
      .emitted = "Emitido",
      .baseline = "De inmediato, en casa",
      .energy = "Energía",
      .at_the_meter = "en el contador del edificio",
      .jobs = "Trabajos",
      .shifted = "Movidos en el tiempo o de lugar",
      .deadlines = "Plazos incumplidos",
      .deadlines_met = "de {0} trabajos con plazo",
      .mean_wait = "Espera media",
      .cost = "Coste a precios del mercado diario",
      .split = "De dónde viene el ahorro",
      .by_time = "Esperar horas más limpias",
      .by_place = "Regiones más limpias",
      .by_efficiency = "Límites de potencia",
      .planned = "Previsto al liberar los trabajos",
      .split_note = "Cada parte con la intensidad realizada, hora a hora; las tres suman el ahorro.",
      .week_picture = "La red en esta semana, y qué se ejecutó cuándo",
      .week_note =
          "Líneas: intensidad de carbono de cada zona. Barras: energía de los trabajos en cada hora, por sitio.",
      .intensity_axis = "g CO₂e/kWh",
      .energy_axis = "kWh en la hora",
      .day_picture = "Ahorrado por día",
      .day_note = "Por el día en que terminó el trabajo. Bajo la línea: se emitió más que de inmediato y en casa.",
      .owner_picture = "Ahorrado por propietario",
      .owner_note = "Propietarios con los mayores ahorros o pérdidas.",
      .wait_picture = "Esperas y plazos",
      .wait_note =
          "Trabajos con inicio límite, según qué parte de la espera permitida usaron. La última barra: empezaron "
          "tarde.",
      .wait_axis = "parte de la espera permitida, %",
      .jobs_axis = "trabajos",
      .late = "tarde",
      .no_owner = "(sin propietario)",
      .other_owners = "(otros)",
      .no_data = "No hay nada que mostrar.",
      .owners = "Propietarios",
      .owner = "Propietario",
      .assessed = "evaluados",
      .saved_share = "Ahorro, parte",
      .largest = "Los trabajos que más pesan",
      .largest_note =
          "Los mayores ahorros y, debajo, las mayores pérdidas. Todas las filas están en las formas JSON y CSV.",
      .job = "Trabajo",
      .site = "Ejecutado en (casa)",
      .site_alone = "Sitio",
      .started = "Iniciado",
      .wait = "Espera",
      .inventory = "Inventario",
      .inventory_note =
          "Lo consumido y emitido en cada sitio. Un ahorro compara con lo que no ocurrió: nunca se resta de "
          "estas cifras.",
      .zone = "Zona",
      .location_based = "Según ubicación",
      .market_based = "Según mercado",
      .factor = "Factor contractual",
      .no_factor = "no indicado",
      .without_intensity = "sin contar: {0} sin intensidad realizada",
      .coverage = "Cobertura",
      .coverage_energy = "Tiempo con energía",
      .coverage_intensity = "Energía con intensidad",
      .measured = "medido",
      .estimated = "estimado",
      .unknown = "desconocido",
      .fallback = "factor anual",
      .missing = "falta",
      .method = "Método",
      .data = "Datos de intensidad",
      .made_by =
          "Hecho por valle {0}. El método está en docs/ACCOUNTING.md, para que cada fila se pueda repetir a mano.",
  };
  return words;
}

}  // namespace valle::service::report
